/** As long as a real one, since a text's wording depends on its length. It opens nothing. */
const NO_TOKEN = 'x'.repeat(22);

/** Stands for the link into the inbox where others than the customer see what it is in. */
export const deadLink = (publicUrl: string): string => `${publicUrl}/i/${NO_TOKEN}`;
