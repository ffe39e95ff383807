<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 403: the business is inactive, or the key is not allowed to make this call. */
final class PermissionException extends WaypostException
{
}
