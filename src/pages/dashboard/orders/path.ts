/** In the query: as part of the path, `..` would lead elsewhere. */
export const orderPath = (businessId: string, reference: string): string =>
  `/dashboard/${businessId}/orders?${new URLSearchParams({ reference })}`;
