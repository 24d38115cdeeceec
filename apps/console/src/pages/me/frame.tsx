import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { me } from '../../messages';
import { Page } from '../../ui/states';
import './me.css';

const SECTIONS = [
  ['profile', '/me'],
  ['factors', '/me/factors'],
  ['keys', '/me/keys'],
  ['preferences', '/me/preferences'],
] as const;

/** Frame of the pages about the signed-in user, with links between them. */
export function MeFrame({
  section,
  children,
}: {
  readonly section: (typeof SECTIONS)[number][0];
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Page title={me.sections[section] ?? me.title}>
      <nav className="me-sections" aria-label={me.sectionsLabel}>
        {SECTIONS.map(([id, to]) => (
          <Link
            key={id}
            to={to}
            activeOptions={{ exact: true }}
            aria-current={id === section ? 'page' : undefined}
          >
            {me.sections[id]}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
