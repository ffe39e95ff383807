import { ActionForm } from './forms.tsx';

interface SearchBoxProps {
  action: string;
  /** What was searched for. */
  value: string | null;
}

/**
 * The search in the bar of a shop's pages; `/` leads to it. By POST, so that what is typed gets into no address. What `suggestions`
 * answers stands below it while somebody types.
 */
export const SearchBox = ({ action, formToken, value }: SearchBoxProps & { formToken: string }) => (
  <search class="search">
    <ActionForm action={action} formToken={formToken}>
      <SearchField
        name="text"
        label="Search the shop"
        placeholder="Find a customer, an order, a subject"
        value={value}
        suggestions={`${action}/suggestions`}
      />
    </ActionForm>
    <p class="visually-hidden" id="suggested" role="status" />
    <div id="suggestions" />
  </search>
);

/** The same for the operator: by GET, since the names of shops are no secret in an address. */
export const ShopSearchBox = ({ action, value }: SearchBoxProps) => (
  <search class="search">
    <form method="get" action={action}>
      <SearchField name="find" label="Search the shops" placeholder="Find a shop" value={value} />
    </form>
  </search>
);

interface SearchFieldProps extends Pick<SearchBoxProps, 'value'> {
  name: string;
  label: string;
  placeholder: string;
  suggestions?: string;
}

const SearchField = ({ name, label, placeholder, value, suggestions }: SearchFieldProps) => (
  <div class="field-row">
    <input
      id="search"
      name={name}
      type="search"
      value={value ?? undefined}
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={placeholder}
      autocomplete="off"
      data-search
      {...(suggestions !== undefined && {
        'hx-post': suggestions,
        'hx-trigger': 'input changed delay:200ms',
        'hx-target': '#suggestions',
        'hx-sync': 'this:replace',
      })}
    />
    <button type="submit" aria-label="Search">
      <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
        <path d="M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3" />
        <path d="m14 14 4 4" />
      </svg>
    </button>
  </div>
);
