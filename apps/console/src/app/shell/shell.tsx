import { NavLink, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { shell } from '../../messages';
import { PAGES } from '../../pages';
import { useSelf } from '../state/session-context';

export function Shell({ children }: { readonly children: ReactNode }): ReactElement {
  const self = useSelf();
  const params = useParams({ strict: false });
  const ws = params.ws ?? self.workspaces[0]?.slug ?? '';
  return (
    <div>
      <nav aria-label={shell.navigation}>
        <Text fw={640}>{shell.product}</Text>
        {PAGES.map((page) => (
          <NavLink
            key={page.id}
            label={page.label}
            renderRoot={(props: object) => <Link to={page.to} params={{ ws }} {...props} />}
          />
        ))}
      </nav>
      <main>{children}</main>
    </div>
  );
}
