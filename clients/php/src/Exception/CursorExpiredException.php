<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 410: events after the cursor are no longer kept. Follow again without `after`. */
final class CursorExpiredException extends WaypostException
{
}
