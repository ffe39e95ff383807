<?php

declare(strict_types=1);

namespace Waypost\Exception;

use Throwable;
use Waypost\Internal\ErrorFacts;

/** 422: a field is at fault; `fields` says which. */
final class ValidationException extends WaypostException
{
    /**
     * Every fault. Empty where the server names no field.
     *
     * @var list<FieldError>
     */
    public readonly array $fields;

    /** @internal */
    public function __construct(#[\SensitiveParameter] ErrorFacts $facts, string $says, ?Throwable $previous = null)
    {
        $fields = FieldError::listOf($facts->detail);
        $faults = array_map(
            static fn (FieldError $one): string => ($one->field ?: $one->place) . ": {$one->message}",
            $fields,
        );
        parent::__construct($facts, implode('; ', $faults) ?: $says, $previous);
        $this->fields = $fields;
    }
}
