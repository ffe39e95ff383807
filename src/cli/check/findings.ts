import type { Finding } from '../../providers/askApi.ts';

export type Part = 'configuration' | 'database' | 'email' | 'sms' | 'whatsapp';

export interface PartFinding extends Finding {
  part: Part;
}

export const about = (part: Part, findings: readonly Finding[]): PartFinding[] =>
  findings.map((found) => ({ part, ...found }));
