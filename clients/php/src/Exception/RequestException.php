<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** Any other 4xx. */
final class RequestException extends WaypostException
{
}
