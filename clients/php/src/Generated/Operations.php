<?php

// Made by `npm run client -- php`. Do not edit.

declare(strict_types=1);

namespace Waypost\Generated;

/** The operations of the API, and which fields of requests PHP cannot tell apart: its arrays are lists and objects alike. */
final class Operations
{
    /** The method and path of each operation, by its id in the OpenAPI document. */
    public const ROUTES = [
        'pushMessage' => 'POST /api/v1/messages',
        'listMessages' => 'GET /api/v1/messages',
        'previewPush' => 'POST /api/v1/messages/preview',
        'pushBatch' => 'POST /api/v1/messages/batch',
        'getMessage' => 'GET /api/v1/messages/{public_id}',
        'getTimeline' => 'GET /api/v1/messages/{public_id}/timeline',
        'retractMessage' => 'POST /api/v1/messages/{public_id}/retract',
        'resendSms' => 'POST /api/v1/messages/{public_id}/sms',
        'resendWhatsapp' => 'POST /api/v1/messages/{public_id}/whatsapp',
        'listOrders' => 'GET /api/v1/orders',
        'getOrder' => 'GET /api/v1/orders/{reference}',
        'putShipment' => 'PUT /api/v1/orders/{reference}/shipments/{tracking_number}',
        'reportTracking' => 'POST /api/v1/orders/{reference}/tracking',
        'listTexts' => 'GET /api/v1/texts',
        'setText' => 'PUT /api/v1/texts/{order_status}/{language}',
        'resetText' => 'DELETE /api/v1/texts/{order_status}/{language}',
        'getUsage' => 'GET /api/v1/usage',
        'listKeys' => 'GET /api/v1/keys',
        'createKey' => 'POST /api/v1/keys',
        'revokeKey' => 'DELETE /api/v1/keys/{key_id}',
        'getCredits' => 'GET /api/v1/credits',
        'getRecipient' => 'GET /api/v1/recipients/{email}',
        'exportRecipient' => 'GET /api/v1/recipients/{email}/export',
        'getRecipientSms' => 'GET /api/v1/recipients/{email}/sms',
        'setRecipientPhone' => 'PUT /api/v1/recipients/{email}/phone',
        'clearRecipientPhone' => 'DELETE /api/v1/recipients/{email}/phone',
        'eraseWhatsappHistory' => 'POST /api/v1/recipients/{email}/whatsapp/erase',
        'eraseRecipient' => 'POST /api/v1/recipients/{email}/erase',
        'listWebhookEndpoints' => 'GET /api/v1/webhook-endpoints',
        'createWebhookEndpoint' => 'POST /api/v1/webhook-endpoints',
        'changeWebhookEndpoint' => 'PATCH /api/v1/webhook-endpoints/{public_id}',
        'deleteWebhookEndpoint' => 'DELETE /api/v1/webhook-endpoints/{public_id}',
        'testWebhookEndpoint' => 'POST /api/v1/webhook-endpoints/{public_id}/test',
        'listWebhookDeliveries' => 'GET /api/v1/webhook-endpoints/{public_id}/deliveries',
        'replayWebhookDeliveries' => 'POST /api/v1/webhook-endpoints/{public_id}/replay',
        'rotateWebhookSecret' => 'POST /api/v1/webhook-endpoints/{public_id}/rotate-secret',
        'listEvents' => 'GET /api/v1/events',
    ];

    /** The names of the query of each that has one. */
    public const QUERIES = [
        'listMessages' => ['recipient_email', 'reference', 'status', 'created_after', 'created_before', 'limit', 'cursor'],
        'listOrders' => ['status', 'recipient_email', 'updated_after', 'limit', 'cursor'],
        'getUsage' => ['from', 'to', 'interval'],
        'listWebhookDeliveries' => ['status', 'limit', 'cursor'],
        'listEvents' => ['after', 'types', 'message_id', 'limit', 'wait'],
    ];

    /** Fields that take a list. */
    public const LIST_FIELDS = [
        'channels',
        'event_types',
        'items',
        'obsoletes',
        'types',
    ];

    /** Fields that take an object. */
    public const OBJECT_FIELDS = [
        'shipment',
        'whatsapp_opt_in',
    ];
}
