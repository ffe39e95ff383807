<?php

declare(strict_types=1);

use Waypost\Generated\Types;

/** @return list<string> The first group of every match. */
function matches(string $pattern, string $text): array
{
    preg_match_all($pattern, $text, $found);
    return array_values(array_unique($found[1]));
}

test('every shape that the source names is imported, and is there', static function (): void {
    $doc = (string) (new ReflectionClass(Types::class))->getDocComment();
    $declared = matches('/@phpstan-type (\w+) /', $doc);
    $imports = 0;
    $files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator(__DIR__ . '/../src'));
    foreach ($files as $path => $file) {
        $source = $file->isFile() ? (string) file_get_contents($path) : '';
        $tags = implode("\n", matches('/@(?:param|return|var|implements) (.+)/', $source));
        $imported = matches('/@phpstan-import-type (\w+) from Types$/m', $source);
        $used = array_intersect(matches('/\b([A-Z]\w+)/', $tags), $declared);
        same([], array_values(array_diff($imported, $declared)));
        same([], array_values(array_diff($used, $imported)));
        same([], array_values(array_diff($imported, $used)));
        $imports += count($imported);
    }
    same(true, $imports > 40);
    // What the shapes themselves name.
    $named = matches('/\b([A-Z]\w+)\b/', implode("\n", matches('/^ \*     \w+\??: (.+),$/m', $doc)));
    same([], array_values(array_diff($named, $declared, ['DateTimeInterface'])));
});
