import { AppShell, NavLink, Text } from '@mantine/core';
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
    <AppShell navbar={{ width: 224, breakpoint: 'md' }} header={{ height: 48 }} layout="alt">
      <AppShell.Navbar aria-label={shell.navigation} component="nav" p="xs">
        <Text fw={640}>{shell.product}</Text>
        {PAGES.map((page) => (
          <NavLink
            key={page.id}
            label={page.label}
            renderRoot={(props) => <Link to={page.to} params={{ ws }} {...props} />}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Header />
      <AppShell.Main>{children}</AppShell.Main>
    </AppShell>
  );
}
