import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logoRefusal, svg } from '../../../test/support/images.ts';
import { logoFrom } from './logo.ts';
import { LogoRefused } from './refusal.ts';

describe('an SVG', () => {
  const written = async (bytes: Buffer): Promise<string> => (await logoFrom(bytes)).content.toString();

  test('keeps shapes, gradients, clips and colours', async () => {
    const inner =
      '<defs><linearGradient id="a"><stop offset="0" stop-color="#f00"/></linearGradient><clipPath id="c"><circle r="4"/></clipPath></defs>' +
      '<g transform="translate(1,2) rotate(45)" clip-path="url(#c)"><path d="M0 0h5v5z" fill="url(#a)"/></g>';
    expect(await written(svg(inner))).toBe(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">${inner}</svg>`,
    );
  });

  test('of a drawing program loses what the program added', async () => {
    const drawn = svg(
      '<!-- made by --><sodipodi:namedview xmlns:sodipodi="x"><script/></sodipodi:namedview><metadata><a>b</a></metadata><title>T</title>' +
        '<path inkscape:label="x" xmlns:inkscape="y" class="st0" style="fill:#0f0;-inkscape-x:1;font-family:url(x);stroke-width:2px" d="M0 0"/>',
      'width="10px" height="20" version="1.1" data-x="1"',
    );
    expect(await written(Buffer.concat([Buffer.from('<?xml version="1.0"?>\n'), drawn]))).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20"><path d="M0 0" fill="#0f0" stroke-width="2px"/></svg>',
    );
  });

  test('stays as it is when it is written again', async () => {
    const once = await written(svg('<rect width="5" height="50%" rx="1" style="opacity:.5"/>'));
    expect(await written(Buffer.from(once))).toBe(once);
  });

  test.each([
    '<script>alert(1)</script>',
    '<SCRIPT>alert(1)</SCRIPT>',
    '<style>@import "https://evil.example"</style>',
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x"/></body></foreignObject>',
    '<image href="https://evil.example/a.png"/>',
    '<use href="#a"/>',
    '<a href="javascript:alert(1)"><rect/></a>',
    '<text>hello</text>',
    '<animate attributeName="href" to="javascript:alert(1)"/>',
    '<set attributeName="onload" to="alert(1)"/>',
    '<filter id="f"><feImage href="https://evil.example"/></filter>',
    '<pattern id="p"/>',
    '<iframe src="https://evil.example"/>',
    '<rect onclick="alert(1)"/>',
    '<rect ONLOAD="alert(1)"/>',
    '<rect fill="url(https://evil.example/#a)"/>',
    '<rect style="fill:url(//evil.example)"/>',
    '<rect clip-path="url(data:image/svg+xml,x)"/>',
    '<linearGradient href="https://evil.example/#a"/>',
    '<linearGradient xlink:href="//evil.example/#a" xmlns:xlink="http://www.w3.org/1999/xlink"/>',
    '<rect>&undefined;</rect>',
    '<g>'.repeat(41) + '</g>'.repeat(41),
    '<g>'.repeat(20_000) + '</g>'.repeat(20_000),
    '<rect/>'.repeat(5_001),
    '<rect',
    '<rect></g>',
  ])('with %.60s is refused', async (inner) => {
    expect(await logoRefusal(svg(inner))).not.toBe('taken');
  });

  test.each<[string, Buffer]>([
    [
      'with an entity of its own',
      Buffer.from(
        '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">&a;</svg>',
      ),
    ],
    [
      'that reads a file',
      Buffer.from(
        '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="&a;"/></svg>',
      ),
    ],
    ['that says its script on its root', svg('', 'viewBox="0 0 1 1" onload="alert(1)"')],
    ['without a size', svg('<rect/>', '')],
    ['with a size that is none', svg('<rect/>', 'viewBox="0 0 1e999 1"')],
    ['with two roots', Buffer.concat([svg(''), svg('')])],
    ['that is a page in front', Buffer.from('<html xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>')],
    ['in another alphabet', Buffer.from(svg('<rect/>').toString(), 'utf16le')],
    ['that is no UTF-8', Buffer.concat([svg('<rect/>'), Buffer.from([0xff])])],
    ['of no namespace', Buffer.from('<svg viewBox="0 0 1 1"><rect/></svg>')],
  ])('%s is refused', async (_name, bytes) => {
    expect(await logoRefusal(bytes)).not.toBe('taken');
  });

  test.each([
    ['tags', '<g/>'.repeat(25_000)],
    ['attributes', `<g ${Array.from({ length: 25_000 }, (_, n) => `a${n}=""`).join(' ')}/>`],
    ['entities', `<path d="${'&#48;'.repeat(25_000)}"/>`],
    ['comments', '<!---->'.repeat(25_000)],
  ])('of too many %s is refused before it is parsed', async (_name, inner) => {
    expect(await logoRefusal(svg(inner))).toContain('too complicated');
  });

  test('is the same whichever way its lines end', async () => {
    const lines = ['', '<path d="M0', '0"/>', ''];
    const [unix, ...others] = await Promise.all(
      ['\n', '\r\n', '\r'].map((end) => written(svg(lines.join(end)))),
    );
    expect(others).toEqual([unix, unix]);
  });

  test('leaves out values that it does not know, and keeps the rest', async () => {
    const odd = svg('<rect fill="&quot;&gt;&lt;b&gt;" width="calc(1px)" href="#x" height="3" id="1 2"/>');
    expect(await written(odd)).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect height="3"/></svg>',
    );
  });

  test('holds nothing but known tags and attributes, whatever it was made of', async () => {
    const part = fc.constantFrom(
      ...[
        '<g>',
        '</g>',
        '<rect/>',
        '<path ',
        'd="M0',
        ' 0"',
        '/>',
        '<script>',
        'onload=',
        '"',
        '<!--',
        '-->',
        '<![CDATA[',
      ],
      ...[
        ']]>',
        'style="fill:',
        'url(',
        '#a)',
        ';',
        '&lt;',
        '&#60;',
        'fill="red"',
        'xmlns="x"',
        '<svg>',
        '</svg>',
        ' ',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        try {
          const text = await written(svg(parts.join('')));
          expect(
            text.replace(/<\/?(?:svg|g|rect|path)((?: (?:d|fill|xmlns|viewBox)="[^"<>&]*")*)\/?>/g, ''),
          ).toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(LogoRefused);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
