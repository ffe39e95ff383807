<?php

declare(strict_types=1);

namespace Waypost\Exception;

/**
 * The server took the request and did not answer in time. It may have had its effect, as with every
 * ConnectionException.
 */
final class TimeoutException extends ConnectionException
{
}
