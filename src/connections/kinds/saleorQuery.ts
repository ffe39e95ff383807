/**
 * What a Saleor webhook is asked to send: Saleor puts the content of `event` into the body. The order's own events say since when it is
 * confirmed or cancelled, so that calls in another order than they happened change nothing.
 */
export const SUBSCRIPTION_QUERY = `subscription {
  event {
    __typename
    issuedAt
    version
    ... on OrderConfirmed { order { ...OrderFields } }
    ... on OrderCancelled { order { ...OrderFields } }
    ... on OrderFullyRefunded { order { ...OrderFields } }
    ... on FulfillmentCreated {
      notifyCustomer
      fulfillment { ...FulfillmentFields }
      order { ...OrderFields }
    }
    ... on FulfillmentApproved {
      notifyCustomer
      fulfillment { ...FulfillmentFields }
      order { ...OrderFields }
    }
    ... on FulfillmentTrackingNumberUpdated {
      fulfillment { ...FulfillmentFields }
      order { ...OrderFields }
    }
  }
}

fragment OrderFields on Order {
  id
  number
  status
  created
  updatedAt
  userEmail
  languageCodeEnum
  metadata { key value }
  shippingAddress {
    firstName
    phone
    country { code }
  }
  lines { productName quantity }
  events { type date }
}

fragment FulfillmentFields on Fulfillment {
  id
  status
  created
  trackingNumber
}
`;
