import { REPLY_ACKS, type Settings } from '../../../businesses/settings.ts';
import { FactList, Panel } from '../../kit/components.tsx';
import { PostForm, SelectField } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import { settingFields } from '../settings/fields.ts';
import { settingsBefore } from '../settings/views.tsx';
import { priceWords } from './words.ts';

const WORDS = { on: 'Yes, at most once in 24 hours', off: 'No' } as const;
const LABEL = 'Acknowledge a reply automatically';

interface AcknowledgementProps {
  visit: ShopVisit;
  settings: Settings;
  form: RefusedForm;
}

/** The switch for the automatic answer to a WhatsApp reply, with its price. */
export function Acknowledgement({ visit, settings, form }: AcknowledgementProps) {
  const price = priceWords(settings.replyAckCredits);
  return (
    <Panel id="replies" title="Replies on WhatsApp">
      {visit.may('settings.change') ? (
        <PostForm visit={visit} action={visit.to('/settings/channels')} label="Save">
          {settingsBefore(settings, ['reply_ack'])}
          <SelectField
            {...fieldState(form, 'reply_ack', settingFields.reply_ack.shown(settings))}
            label={LABEL}
            options={REPLY_ACKS.map((one) => [one, WORDS[one]] as const)}
            hint={`The price, which your operator sets: ${price.toLowerCase()}.`}
          />
        </PostForm>
      ) : (
        <FactList
          facts={[
            [LABEL, WORDS[settings.replyAck]],
            ['Its price', price],
          ]}
        />
      )}
    </Panel>
  );
}
