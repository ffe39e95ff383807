import type { ShopVisit } from '../context.ts';
import { orderPath } from '../messages/filters.tsx';
import type { Found } from './find.ts';

const SUGGESTIONS_MAX = 8;

interface Suggestion {
  href: string;
  text: string;
  kind: 'Customer' | 'Order' | 'Message';
}

/** The first of each kind in turn until there are enough, each kind together. */
export function suggestionsIn({ to }: ShopVisit, { customers, orders, messages }: Found): Suggestion[] {
  const kinds: Suggestion[][] = [
    customers.items.map(({ id, email }) => ({
      href: to(`/recipients/${id}`),
      text: email,
      kind: 'Customer',
    })),
    orders.items.map(({ reference }) => ({ href: to(orderPath(reference)), text: reference, kind: 'Order' })),
    messages.items.map(({ id, subject }) => ({
      href: to(`/messages/${id}`),
      text: subject,
      kind: 'Message',
    })),
  ];
  return kinds
    .flatMap((suggestions, kind) => suggestions.map((suggestion, place) => ({ suggestion, kind, place })))
    .toSorted((one, other) => one.place - other.place)
    .slice(0, SUGGESTIONS_MAX)
    .toSorted((one, other) => one.kind - other.kind)
    .map(({ suggestion }) => suggestion);
}

/** What stands below the search box while somebody types. */
export const SuggestionList = ({ suggestions }: { suggestions: readonly Suggestion[] }) => (
  <>
    <p id="suggested" hx-swap-oob="innerHTML">
      {suggestions.length === 0
        ? 'No suggestions'
        : `Suggestions: ${suggestions.length}. The arrow keys lead there.`}
    </p>
    {suggestions.length > 0 && (
      <ul class="suggestions">
        {suggestions.map(({ href, text, kind }) => (
          <li>
            <a href={href}>
              <span dir="auto">{text}</span>
              <span class="hint">{kind}</span>
            </a>
          </li>
        ))}
      </ul>
    )}
  </>
);
