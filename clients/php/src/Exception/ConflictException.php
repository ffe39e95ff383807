<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 409: the call contradicts what is stored; `errorCode` says how. */
class ConflictException extends WaypostException
{
}
