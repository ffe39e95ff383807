<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 409: the idempotency key was used with another body. Keys must differ where the calls differ. */
final class IdempotencyKeyReusedException extends ConflictException
{
}
