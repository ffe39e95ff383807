<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** An answer that is not one of Waypost's: a redirect, a page of a proxy. `baseUrl` is probably wrong. */
final class UnexpectedAnswerException extends WaypostException
{
}
