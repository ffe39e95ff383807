<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** When a call may be repeated. */
enum Repeat
{
    /** It only reads, or the server recognises it: an idempotency key, or an effect that is the same twice. */
    case Always;
    /** Only when the server certainly did nothing. */
    case IfUntouched;
}
