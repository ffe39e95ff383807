import type { Plan, Settings } from '../../businesses/settings.ts';
import { Badge, type BadgeTone } from '../kit/components.tsx';

export const PLAN_WORDS: Record<Plan, string> = { active: 'Active', past_due: 'Past due', lapsed: 'Lapsed' };

const PLAN_TONES: Record<Plan, BadgeTone> = { active: 'good', past_due: 'waiting', lapsed: 'bad' };

type ShopStateProps = Pick<Settings, 'active' | 'paused' | 'plan'>;

/** Whether a shop is at work, in badges. */
export function ShopState({ active, paused, plan }: ShopStateProps) {
  return (
    <span class="badges">
      {!active && <Badge tone="bad" text="Deactivated" />}
      {paused && <Badge tone="waiting" text="Paused" />}
      {(plan !== 'active' || (!paused && active)) && (
        <Badge
          tone={PLAN_TONES[plan]}
          text={plan === 'active' ? 'Active' : `Plan: ${PLAN_WORDS[plan].toLowerCase()}`}
        />
      )}
    </span>
  );
}
