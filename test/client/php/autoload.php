<?php

declare(strict_types=1);

/** The client from its source, as Composer would load it. */
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/../../../clients/php/src/' . strtr(substr($class, strlen('Waypost\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Waypost\\') && is_file($file)) {
        require $file;
    }
});
