<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 401: the API key is missing, malformed or revoked. */
final class AuthenticationException extends WaypostException
{
}
