<?php

declare(strict_types=1);

/*
 * The tests of the client, with nothing but PHP: `php tests/run.php`. Each is a sentence and a function that throws.
 */

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/../src/' . strtr(substr($class, strlen('Waypost\\')), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});
// A warning
set_error_handler(static fn (int $kind, string $says): bool => throw new ErrorException($says, 0, $kind));

/** @var array<string, Closure(): void> */
$tests = [];

function test(string $sentence, Closure $run): void
{
    global $tests;
    $tests[$sentence] = $run;
}

function same(mixed $expected, mixed $actual): void
{
    if ($expected !== $actual) {
        throw new RuntimeException('expected ' . var_export($expected, true) . ', got ' . var_export($actual, true));
    }
}

/** @param class-string<Throwable> $class */
function fails(string $class, string $words, Closure $run): Throwable
{
    try {
        $run();
    } catch (Throwable $error) {
        same($class, get_class($error));
        same(true, str_contains($error->getMessage(), $words) ?: $error->getMessage());
        return $error;
    }
    throw new RuntimeException("no $class was thrown");
}

foreach (glob(__DIR__ . '/*Test.php') as $file) {
    require $file;
}
$failed = 0;
foreach ($tests as $sentence => $run) {
    try {
        $run();
    } catch (Throwable $error) {
        $failed += 1;
        fwrite(STDERR, "FAILED: $sentence\n$error\n\n");
    }
}
echo 'Ran ' . count($tests) . ' tests: ' . ($failed === 0 ? 'OK' : "$failed failed") . "\n";
exit($failed === 0 && count($tests) > 0 ? 0 : 1);
