export function connectorFiles(): Promise<{ fileName: string; imports: string[] }[]>;
