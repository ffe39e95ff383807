import { ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES } from '../../../config/limits.ts';
import type { Connection } from '../../../connections/connections.ts';
import type { StoreKind } from '../../../connections/kinds/kind.ts';
import { CONSENT_FIELD_MAX, type PhoneUse, statusToldFor } from '../../../connections/settings.ts';
import { paidChannels } from '../../../contract/channels.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../contract/orderStatuses.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { FactList, Panel } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { ActionForm, Checkboxes, FormField, SelectField, SubmitButton } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { InShop, ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { ORDER_STATUS_OPTIONS } from '../messages/filters.tsx';
import { connectionHead, connectionPath } from './nav.tsx';
import { titleOf } from './words.ts';

interface StatusesProps {
  connection: Connection;
  kind: StoreKind;
  /** The rows of the table. */
  words: readonly string[];
  form: RefusedForm;
}

/** Which of the store's statuses are told, and how. */
export function statusesPage(visit: ShopVisit, props: StatusesProps): Page {
  const { connection } = props;
  return {
    title: `What ${connection.name} tells`,
    at: 'connections',
    within: [],
    heading: connectionHead(visit, connection, 'statuses'),
    children: visit.may('connection.manage') ? (
      <ActionForm action={connectionPath(visit, connection, '/statuses')} formToken={visit.session.formToken}>
        <div class="columns">
          <Panel id="told" title="What is told">
            <Introduction connection={connection} />
            <StatusTable {...props} mayChange />
          </Panel>
          <div class="column">
            <ChannelsPanel {...props} />
            <PhonePanel {...props} />
            <div>
              <SubmitButton label="Save" />
            </div>
          </div>
        </div>
      </ActionForm>
    ) : (
      <Facts visit={visit} {...props} />
    ),
  };
}

const Introduction = ({ connection }: Pick<StatusesProps, 'connection'>) => (
  <p class="hint">
    {`When ${titleOf(connection.kind)} says the status on the left, the customer gets the message on the right. Statuses that a plugin of your store brings appear here once it uses them.`}
  </p>
);

const told = ({ connection, kind }: StatusesProps, word: string): OrderStatus | null =>
  statusToldFor(kind.statuses, connection.settings, word);

const NOTHING = ['', 'Nothing'] as const;

const StatusTable = (props: StatusesProps & { mayChange: boolean }) => (
  <div class="connection-told">
    <DataTable
      caption="Statuses of the store, and the message for each"
      rows={props.words.map((word) => ({ word, status: told(props, word) }))}
      columns={[
        {
          title: 'Status in the store',
          cell: ({ word }) => (
            <>
              <code dir="auto">{word}</code>
              {!Object.hasOwn(props.kind.statuses, word) && <span class="hint"> the store’s own</span>}
              {word === 'tracking_added' && <span class="hint"> a tracking number was added</span>}
            </>
          ),
        },
        {
          title: 'Message',
          cell: ({ word, status }) =>
            props.mayChange ? (
              <span class="field">
                <input type="hidden" name="word" value={word} />
                <select name="told" aria-label={`Message for ${word}`}>
                  {[NOTHING, ...ORDER_STATUS_OPTIONS].map(([value, label]) => (
                    <option value={value} selected={value === (status ?? '')}>
                      {label}
                    </option>
                  ))}
                </select>
              </span>
            ) : status === null ? (
              'Nothing'
            ) : (
              statusLabel(status)
            ),
        },
      ]}
    />
  </div>
);

/** Those that something tells, or told when channels were chosen for them. */
function offeredStatuses(props: StatusesProps): OrderStatus[] {
  const now = props.words.map((word) => told(props, word));
  return ORDER_STATUSES.filter(
    (status) => now.includes(status) || (props.connection.settings.channels[status] ?? []).length > 0,
  );
}

const CHANNEL_OPTIONS = paidChannels.map((channel) => ({ value: channel, label: CHANNEL_TITLES[channel] }));

const ChannelsPanel = (props: StatusesProps) => {
  const { settings } = props.connection;
  return (
    <Panel id="channels" title="Besides the email">
      <p class="hint">
        Every message is mailed, free of credits. Tick what is to go out as an SMS or on WhatsApp, too.
      </p>
      {offeredStatuses(props).map((status) => (
        <>
          <input type="hidden" name="channels_of" value={status} />
          <Checkboxes
            id={`channels_${status}`}
            label={statusLabel(status)}
            options={CHANNEL_OPTIONS}
            chosen={settings.channels[status] ?? []}
          />
        </>
      ))}
      <FormField
        {...fieldState(props.form, 'escalate_minutes', settings.escalateMinutes?.toString())}
        label="Only if the message is unread after minutes"
        type="number"
        hint={`${ESCALATE_MIN_MINUTES} to ${ESCALATE_MAX_MINUTES}. Blank: SMS and WhatsApp messages go out at once.`}
      />
    </Panel>
  );
};

const PHONE_WORDS: Readonly<Record<PhoneUse, string>> = {
  never: 'Never',
  if_consented: 'If the customer agreed, by a field of the order',
};

const CONSENT_FIELDS: Readonly<Record<StoreKind['name'], string>> = {
  woocommerce: 'The key of the order’s meta data',
  shopify: 'The name of the order’s note attribute',
  saleor: 'The key of the order’s metadata',
};

const PhonePanel = ({ connection, kind, form }: StatusesProps) => (
  <Panel id="phone-panel" title="The number in the order">
    <p class="hint">
      A number is for the courier until its owner agrees to SMS. A consent to marketing is none to these.
    </p>
    <SelectField
      {...fieldState(form, 'phone_use', connection.settings.phone)}
      label="May it get SMS?"
      options={Object.entries(PHONE_WORDS)}
    />
    <FormField
      {...fieldState(form, 'consent_field', connection.settings.consentField ?? '')}
      label="Field that says so"
      type="text"
      maxlength={CONSENT_FIELD_MAX}
      autocomplete="off"
      hint={`${CONSENT_FIELDS[kind.name]} whose value yes, 1 or true permits SMS.`}
    />
  </Panel>
);

/** For somebody who may not change it. */
const Facts = (props: InShop<StatusesProps>) => {
  const { settings } = props.connection;
  return (
    <div class="columns">
      <Panel id="told" title="What is told">
        <StatusTable {...props} mayChange={false} />
      </Panel>
      <Panel id="channels" title="Besides the email">
        <FactList
          facts={[
            ...offeredStatuses(props).map((status) => {
              const names = (settings.channels[status] ?? []).map((channel) => CHANNEL_TITLES[channel]);
              return [statusLabel(status), names.join(', ') || 'Only the email'] as const;
            }),
            [
              'Only if unread after',
              settings.escalateMinutes === null ? 'At once' : `${settings.escalateMinutes} minutes`,
            ],
            ['May the number in the order get SMS?', PHONE_WORDS[settings.phone]],
          ]}
        />
        <p class="hint">An owner of the shop can change these.</p>
      </Panel>
    </div>
  );
};
