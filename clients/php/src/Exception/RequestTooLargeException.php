<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 413: the body is larger than the server takes. */
final class RequestTooLargeException extends WaypostException
{
}
