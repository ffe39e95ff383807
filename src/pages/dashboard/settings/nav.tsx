import { BarLink } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';

const PARTS = [
  { name: 'shop', path: '', title: 'Shop' },
  { name: 'channels', path: '/channels', title: 'Channels' },
  { name: 'texts', path: '/texts', title: 'Wording' },
  { name: 'members', path: '/members', title: 'Members' },
  { name: 'audit', path: '/audit', title: 'Audit log' },
] as const;
type SettingsPart = (typeof PARTS)[number]['name'];

/** The heading of every page of the settings, and the way to the others. */
export const settingsHead = (visit: ShopVisit, at: SettingsPart) => (
  <div class="title-row">
    <h1>Settings</h1>
    <nav class="choices" aria-label="Settings">
      {PARTS.map(({ name, path, title }) => (
        <BarLink href={visit.to(`/settings${path}`)} label={title} isCurrent={name === at} />
      ))}
    </nav>
  </div>
);
