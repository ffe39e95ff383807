<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** No answer until the deadline. The call may have had its effect: repeat it with the same `idempotencyKey`. */
class ConnectionException extends WaypostException
{
}
