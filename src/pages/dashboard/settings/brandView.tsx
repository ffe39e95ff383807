import type { Site } from '../../kit/page.tsx';
import type { NudgePreview, ShopBrand } from './brandPreview.ts';

interface BrandPreviewProps {
  site: Site;
  brand: ShopBrand;
  preview: NudgePreview;
}

/** What a customer would get about an example order, with the name, the colour and the language as they are typed. */
export function BrandPreview({ site, brand, preview }: BrandPreviewProps): JSX.Element {
  const path = site.to(`/dashboard/${brand.id}/settings/preview`);
  const query = new URLSearchParams({
    name: brand.name,
    colour: brand.colour ?? '',
    language: brand.language,
  });
  return (
    <section class="panel" id="preview" aria-labelledby="preview-title">
      <h2 id="preview-title">What customers see</h2>
      <p class="hint">An example order. Nothing is sent.</p>
      <h3>Email</h3>
      <p class="preview-from">
        <strong dir="auto">{preview.mail.from}</strong> <span>{preview.mail.subject}</span>
      </p>
      <iframe
        class="preview-frame"
        title="The email"
        src={`${path}/mail?${query}`}
        sandbox=""
        loading="lazy"
        tabindex="0"
      />
      <h3>Text</h3>
      <p class="message-body preview-text" lang={brand.language}>
        {preview.text}
      </p>
      <h3>WhatsApp message</h3>
      {preview.whatsapp === null ? (
        <p>
          None can be sent: WhatsApp’s template cannot show this name. It takes up to 40 letters, digits and
          simple punctuation, and nothing that looks like a web address.
        </p>
      ) : (
        <p class="message-body preview-text" lang={brand.language}>
          {preview.whatsapp}
        </p>
      )}
      <h3>Inbox</h3>
      <iframe
        class="preview-frame"
        title="The inbox"
        src={`${path}/inbox?${query}`}
        sandbox="allow-same-origin"
        loading="lazy"
        tabindex="0"
      />
    </section>
  );
}
