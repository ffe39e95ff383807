<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** 404: no such id, or it belongs to another business. */
final class NotFoundException extends WaypostException
{
}
