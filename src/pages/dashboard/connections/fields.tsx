import { ENDPOINT_URL_MAX } from '../../../config/limits.ts';
import type { ConnectionKind } from '../../../connections/kinds/kind.ts';
import { needsOf } from '../../../connections/needs.ts';
import { FormField } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { SECRET_MAX } from './forms.ts';
import { titleOf } from './words.ts';

/* The fields about how we reach the other side, for a new connection and for its settings. */

interface FieldsProps {
  kind: ConnectionKind;
  form: RefusedForm;
}

const WHERE: Readonly<Partial<Record<ConnectionKind, string>>> = {
  saleor:
    'Like https://shop.eu.saleor.cloud, without what follows the host. Saleor’s public key is read there.',
  woocommerce: 'Like https://shop.example. Only for reading what was missed.',
  karrio: 'Like https://api.karrio.example, if the server is your own.',
  shopify: 'Like https://shop.myshopify.com. It only reminds you which one this is.',
};

/** Where the store is; nothing for a service that is at one place for everybody. */
export function StoreUrlField({ kind, form, value }: FieldsProps & { value?: string | null }) {
  const { store } = needsOf(kind);
  if (store === 'none') return null;
  return (
    <FormField
      {...fieldState(form, 'store_url', value ?? '')}
      label={store === 'required' ? `Address of your ${titleOf(kind)} store` : 'Address of the store'}
      type="url"
      maxlength={ENDPOINT_URL_MAX}
      autocomplete="off"
      required={store === 'required'}
      hint={WHERE[kind]}
    />
  );
}

const secretField = (form: RefusedForm, id: string, label: string, hint?: string) => (
  <FormField
    {...fieldState(form, id)}
    label={label}
    type="text"
    maxlength={SECRET_MAX}
    autocomplete="off"
    hint={hint}
  />
);

/** The keys of our own calls. They are never shown again. */
export function CredentialFields({ kind, form, isFolded = false }: FieldsProps & { isFolded?: boolean }) {
  const { credentials } = needsOf(kind);
  if (credentials === 'none') return null;
  if (credentials === 'api_key')
    return secretField(
      form,
      'key',
      'API key',
      `Optional. With it, each new shipment is registered at ${titleOf(kind)}, so that it follows parcels that only have a number.`,
    );
  const fields = (
    <>
      <p class="hint">
        WooCommerce does not try a call again. With a key, Waypost asks for what it missed every 15 minutes.
        Make one under <strong>WooCommerce → Settings → Advanced → REST API</strong>, with the permission{' '}
        <strong>Read</strong>.
      </p>
      {secretField(form, 'key', 'Consumer key')}
      {secretField(form, 'key_secret', 'Consumer secret')}
    </>
  );
  if (!isFolded) return fields;
  const isWrong = ['store_url', 'key', 'key_secret'].some((name) => form.faults[name] !== undefined);
  return (
    <details open={isWrong}>
      <summary>Also read what was missed (optional) …</summary>
      <div class="stack">
        <StoreUrlField kind={kind} form={form} />
        {fields}
      </div>
    </details>
  );
}
