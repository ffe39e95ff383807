<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 5xx until the deadline. The call may have had its effect: repeat it with the same `idempotencyKey`. */
final class ServerException extends WaypostException
{
}
