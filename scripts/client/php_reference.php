<?php

declare(strict_types=1);

/*
 * Prints the reference of the client in Markdown: its public classes, with the doc comments of the source.
 */

use Waypost\Generated\Types;

const SOURCE = __DIR__ . '/../../clients/php/src/';

/** The sections of the page, in order, and the classes that they show. */
const SECTIONS = [
    'The client' => ['Waypost'],
    'Resources' => [
        'Resources\Messages',
        'Resources\Orders',
        'Resources\Texts',
        'Resources\Events',
        'EventFollower',
        'Resources\Recipients',
        'Resources\WebhookEndpoints',
        'Resources\Keys',
        'Resources\CreditsResource',
        'Resources\UsageResource',
        'Paged',
        'WaypostResponse',
        'RetryNotice',
        'Time',
    ],
    'Webhooks' => ['Webhooks', 'WebhookDeduper', 'InMemoryDeduper', 'Exception\WebhookVerificationException'],
    'Errors' => [
        'Exception\WaypostException',
        'Exception\AuthenticationException',
        'Exception\PermissionException',
        'Exception\NotFoundException',
        'Exception\ConflictException',
        'Exception\IdempotencyKeyReusedException',
        'Exception\RequestInProgressException',
        'Exception\CursorExpiredException',
        'Exception\RequestTooLargeException',
        'Exception\ValidationException',
        'Exception\FieldError',
        'Exception\RateLimitException',
        'Exception\ServerException',
        'Exception\UnexpectedAnswerException',
        'Exception\RequestException',
        'Exception\ConnectionException',
        'Exception\TimeoutException',
        'Exception\BatchException',
    ],
    'Testing' => ['Resources\Sandbox'],
];

spl_autoload_register(static function (string $class): void {
    $file = SOURCE . strtr(substr($class, strlen('Waypost\\')), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});

/** @return Generator<string> */
function page(): Generator
{
    yield '# PHP client: reference';
    yield '<!-- Made from the source by `npm run client -- php`. Do not edit. -->';
    yield 'Every public class of `waypost/waypost`, in the namespace `Waypost`. '
        . '[The client’s page](../../clients/php/README.md) begins with a push.';
    foreach (SECTIONS as $title => $classes) {
        yield "## $title";
        foreach ($classes as $class) {
            yield from described(new ReflectionClass("Waypost\\$class"));
        }
    }
    yield '## What is sent and answered';
    yield 'Arrays of these shapes, for PHPStan: `@phpstan-import-type Push from \Waypost\Generated\Types`.';
    yield from shapes(new ReflectionClass(Types::class));
}

/** @return Generator<string> */
function described(ReflectionClass $class): Generator
{
    yield '### ' . substr($class->getName(), strlen('Waypost\\'));
    $parent = $class->getParentClass();
    $extends = $parent && $parent->isUserDefined() ? " Extends `{$parent->getShortName()}`." : '';
    yield words($class->getDocComment()) . $extends;
    $constructor = $class->getConstructor();
    if ($constructor !== null && isPublic($constructor)) {
        yield "```php\nnew {$class->getShortName()}(" . implode(', ', parameters($constructor)) . ")\n```";
        yield words($constructor->getDocComment());
    }
    $own = static fn (ReflectionMethod|ReflectionProperty $one): bool => $one->getDeclaringClass() == $class;
    $rows = array_map(row(...), array_filter($class->getProperties(ReflectionProperty::IS_PUBLIC), $own));
    if ($rows !== []) {
        yield implode("\n", ['| property | type | meaning |', '| --- | --- | --- |', ...$rows]);
    }
    $methods = array_filter(
        $class->getMethods(),
        static fn (ReflectionMethod $one): bool => $own($one) && isPublic($one) && $one->getName()[0] !== '_',
    );
    if ($methods !== []) {
        yield implode("\n", array_map(item(...), $methods));
    }
    yield from shapes($class);
}

function isPublic(ReflectionMethod $method): bool
{
    return $method->isPublic() && !str_contains((string) $method->getDocComment(), '@internal');
}

function row(ReflectionProperty $property): string
{
    $doc = $property->getDocComment();
    $tag = preg_match('/@var (.*?)(?:\s*\*\/|\n)/', (string) $doc, $match) === 1 ? trim($match[1]) : null;
    $type = $tag ?? shown((string) $property->getType());
    $meaning = words($doc);
    // `@var Result What the call returns.`
    if ($tag !== null && preg_match('/\A(\S+(?:, \S+)*) ([A-Z].*)\z/', $tag, $parts) === 1) {
        [, $type, $meaning] = $parts;
    }
    return '| ' . implode(' | ', array_map(cell(...), ["`{$property->getName()}`", "`$type`", $meaning])) . ' |';
}

function cell(string $text): string
{
    return str_replace('|', '\|', $text);
}

function item(ReflectionMethod $method): string
{
    $doc = (string) $method->getDocComment();
    $returns = preg_match('/@return (.+)/', $doc, $match) === 1 ? $match[1] : shown((string) $method->getReturnType());
    $static = $method->isStatic() ? $method->getDeclaringClass()->getShortName() . '::' : '';
    $taken = implode(', ', parameters($method));
    return rtrim("- `$static{$method->getName()}($taken): $returns`: " . words($doc), ': ');
}

/** @return list<string> */
function parameters(ReflectionMethod $method): array
{
    preg_match_all('/@param (.+?) \$(\w+)/', (string) $method->getDocComment(), $tags, PREG_SET_ORDER);
    $types = array_column($tags, 1, 2);
    return array_map(static function (ReflectionParameter $one) use ($types): string {
        $type = $types[$one->getName()] ?? shown((string) $one->getType());
        $default = $one->isDefaultValueAvailable() ? ' = ' . value($one->getDefaultValue()) : '';
        return "$type \${$one->getName()}$default";
    }, $method->getParameters());
}

function value(mixed $value): string
{
    return match (true) {
        $value === [] => '[]',
        is_string($value) => "'$value'",
        default => json_encode($value, JSON_THROW_ON_ERROR),
    };
}

/** A type without the namespaces of its classes. */
function shown(string $type): string
{
    return (string) preg_replace('/\b(?:\w+\\\\)+(?=\w)/', '', $type);
}

/** What a doc comment says before its tags. */
function words(string|false $doc): string
{
    $text = (string) preg_replace(['/^\s*\/?\*+\/?[ \t]?/m', '/\s*\*\/$/'], '', (string) $doc);
    [$words] = preg_split('/^@/m', $text) ?: [''];
    return trim((string) preg_replace('/\s+/', ' ', $words));
}

/** @return Generator<string> */
function shapes(ReflectionClass $class): Generator
{
    $doc = preg_replace('/^ \* ?/m', '', (string) $class->getDocComment());
    foreach (array_slice(preg_split('/^@phpstan-type /m', (string) $doc) ?: [], 1) as $part) {
        preg_match('/\A(\w+) (array\{\n(.*?)^\}|.*?)\n(.*)\z/ms', rtrim($part, "/\n ") . "\n", $match);
        [, $name, $type, $fields, $notes] = $match;
        preg_match_all('/^- `(\w+)`: (.*)$/m', $notes, $described, PREG_SET_ORDER);
        $meanings = array_column($described, 2, 1);
        yield "### $name";
        $words = trim((string) preg_replace('/^- .*$/m', '', $notes));
        if ($words !== '') {
            yield $words;
        }
        preg_match_all('/^    (\w+)(\??): (.*),$/m', $fields, $lines, PREG_SET_ORDER);
        $rows = array_map(
            static fn (array $line): string => '| ' . implode(' | ', array_map(
                cell(...),
                ["`$line[1]$line[2]`", "`$line[3]`", $meanings[$line[1]] ?? ''],
            )) . ' |',
            $lines,
        );
        yield $rows === [] ? "`$type`" : implode("\n", ['| field | type | meaning |', '| --- | --- | --- |', ...$rows]);
    }
}

echo implode("\n\n", array_filter([...page()], 'strlen')), "\n";
