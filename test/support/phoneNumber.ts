/** An Estonian number that takes texts and WhatsApp. */
export const PHONE_NUMBER = '+37255550134';
