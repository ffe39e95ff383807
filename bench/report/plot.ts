import type { Curve } from '../curves.ts';

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 16;
const TOP = 44;
const BOTTOM = 64;
const COLOURS = ['#0b6e4f', '#c8553d', '#3d5a80', '#8a6d1d'];
const STEPS = 4;

interface Scale {
  at(value: number): number;
  ticks: number[];
}

/** An SVG without scripts or external fonts, in colours that are legible on light and dark backgrounds. */
export function plot({ title, x, y, logarithmic, series }: Curve): string {
  const points = series.flatMap((one) => one.points);
  const across = logarithmic
    ? logScale(points.map((point) => point.x))
    : linearScale(
        points.map((point) => point.x),
        LEFT,
        WIDTH - RIGHT,
      );
  const up = linearScale([0, ...points.map((point) => point.y)], HEIGHT - BOTTOM, TOP);
  const text = (at: number, height: number, words: string, anchor = 'middle', size = 12): string =>
    `<text x="${at.toFixed(1)}" y="${height.toFixed(1)}" font-size="${size}" text-anchor="${anchor}">${escaped(words)}</text>`;
  const parts = [
    text(LEFT, 20, title, 'start', 15),
    ...up.ticks.flatMap((tick) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${up.at(tick).toFixed(1)}" y2="${up.at(tick).toFixed(1)}" stroke="#8886"/>`,
      text(LEFT - 8, up.at(tick) + 4, short(tick), 'end'),
    ]),
    ...across.ticks.map((tick) => text(across.at(tick), HEIGHT - BOTTOM + 18, short(tick))),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 36, x),
    text(LEFT, TOP - 8, y, 'start'),
    ...series.flatMap((one, index) => {
      const colour = COLOURS[index % COLOURS.length];
      const at = one.points.map((point) => `${across.at(point.x).toFixed(1)},${up.at(point.y).toFixed(1)}`);
      const legend = LEFT + (index * (WIDTH - LEFT - RIGHT)) / series.length;
      return [
        `<polyline points="${at.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...at.map((place) => `<circle cx="${place.replace(',', '" cy="')}" r="3" fill="${colour}"/>`),
        `<rect x="${legend.toFixed(1)}" y="${HEIGHT - 20}" width="12" height="12" fill="${colour}"/>`,
        text(legend + 18, HEIGHT - 10, one.name, 'start'),
      ];
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" fill="#777" role="img">
<title>${escaped(title)}</title>
${parts.join('\n')}
</svg>
`;
}

function linearScale(values: readonly number[], from: number, to: number): Scale {
  const most = Math.max(...values);
  const step = niceStep(most / STEPS);
  const top = Math.ceil(most / step) * step || 1;
  return {
    at: (value) => from + (value / top) * (to - from),
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step),
  };
}

/** One tick per measured value: they are few and far apart. */
function logScale(values: readonly number[]): Scale {
  const ticks = [...new Set(values)].toSorted((a, b) => a - b);
  const [least, most] = [Math.log(ticks[0] ?? 1), Math.log(ticks.at(-1) ?? 10)];
  return {
    at: (value) =>
      LEFT + 16 + ((Math.log(value) - least) / (most - least || 1)) * (WIDTH - LEFT - RIGHT - 32),
    ticks,
  };
}

function niceStep(rough: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(rough || 1));
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
}

const short = (value: number): string =>
  value >= 1_000_000
    ? `${value / 1_000_000}M`
    : value >= 1_000
      ? `${value / 1_000}k`
      : String(Number(value.toFixed(2)));

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
