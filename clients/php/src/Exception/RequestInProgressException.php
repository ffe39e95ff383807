<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 409: until the deadline another request with the same key was still running. */
final class RequestInProgressException extends ConflictException
{
}
