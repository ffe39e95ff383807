import { type Html, jsonLd } from '../kit/jsxRuntime.ts';
import type { Words } from '../language/words.ts';
import { BREAKS, FONT, SMALL, Table } from './emailParts.tsx';
import { expectedDays, type ShownParcels } from './parcel.ts';

interface ParcelFact {
  label: string;
  value: string;
  /** What its reader wants to know first. */
  isAnswer?: boolean;
}

/** What a mail says of one parcel; a fact that is not known is left out. */
export interface MailedParcel {
  /** Which of several it is; null: the only one. */
  place: string | null;
  facts: ParcelFact[];
  trackingUrl: string | null;
}

export function mailedParcels(words: Words, { shipments, now }: ShownParcels): MailedParcel[] {
  const total = String(shipments.length);
  return shipments.map((shipment, at) => {
    const facts = [
      {
        label: words.text('shipment.expected'),
        value: expectedDays(words, shipment, now),
        isAnswer: true,
      },
      { label: words.text('shipment.carrier'), value: shipment.carrier },
      { label: words.text('shipment.number'), value: shipment.trackingNumber },
    ];
    return {
      place: shipments.length > 1 ? words.fill('shipment.parcel', { ordinal: String(at + 1), total }) : null,
      facts: facts.flatMap(({ value, ...fact }) => (value === null ? [] : [{ ...fact, value }])),
      trackingUrl: shipment.trackingUrl,
    };
  });
}

export const parcelsAsText = (words: Words, parcels: readonly MailedParcel[]): string[] =>
  parcels.map(({ place, facts, trackingUrl }) =>
    [
      ...(place === null ? [] : [place]),
      ...facts.map(({ label, value }) => `${label}: ${value}`),
      ...(trackingUrl === null ? [] : [`${words.text('shipment.follow')}:\n${trackingUrl}`]),
    ].join('\n'),
  );

/** One box per parcel. */
export const parcelsAsHtml = (words: Words, parcels: readonly MailedParcel[]): Html => (
  <>
    {parcels.map(({ place, facts, trackingUrl }) => (
      <Table width="100%" style="margin:0 0 24px">
        <tr>
          <td class="parcel" style="padding:16px 20px 4px;background-color:#f5f6f8;border-radius:10px">
            {place !== null && (
              <p class="faint" style={`margin:0 0 12px;${SMALL}`}>
                {place}
              </p>
            )}
            {facts.map((fact) => (
              <Fact {...fact} />
            ))}
            {trackingUrl !== null && <Follow label={words.text('shipment.follow')} url={trackingUrl} />}
          </td>
        </tr>
      </Table>
    ))}
  </>
);

const Fact = ({ label, value, isAnswer = false }: ParcelFact) => (
  <p class="strong" style={`margin:0 0 12px;${FONT};font-size:16px;line-height:1.4;color:#14171c;${BREAKS}`}>
    <span class="faint" style="font-size:13px;color:#5a6473">
      {label}
    </span>
    <br />
    {isAnswer ? (
      <b style="font-size:18px;font-weight:600">
        <bdi>{value}</bdi>
      </b>
    ) : (
      <bdi>{value}</bdi>
    )}
  </p>
);

/** Less prominent than the button that leads to the inbox. */
const Follow = ({ label, url }: { label: string; url: string }) => (
  <Table style="margin:4px 0 12px">
    <tr>
      <td
        class="second"
        align="center"
        style="border:1px solid #868f9c;border-radius:8px;mso-padding-alt:10px 20px"
      >
        <a
          href={url}
          style={`display:inline-block;padding:10px 20px;${FONT};font-size:15px;font-weight:600;line-height:1.25;color:#14171c;text-decoration:none`}
        >
          {label}
        </a>
      </td>
    </tr>
  </Table>
);

/**
 * The order for mail programs that show parcels by themselves (schema.org), with nothing about the person; null: a fact that
 * they need is not known.
 */
export function orderData(
  orderNumber: string | null,
  merchant: string,
  { shipments }: ShownParcels,
): Html | null {
  const deliveries = shipments.flatMap(({ carrier, trackingNumber, trackingUrl }) =>
    carrier === null || trackingUrl === null
      ? []
      : [{ '@type': 'ParcelDelivery', carrier: organization(carrier), trackingNumber, trackingUrl }],
  );
  if (orderNumber === null || merchant === '' || deliveries.length === 0) return null;
  return jsonLd({
    '@context': 'https://schema.org',
    '@type': 'Order',
    orderNumber,
    merchant: organization(merchant),
    orderDelivery: deliveries.length === 1 ? deliveries[0] : deliveries,
  });
}

const organization = (name: string) => ({ '@type': 'Organization', name });
