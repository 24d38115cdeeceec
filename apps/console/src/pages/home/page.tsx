import type { ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { home } from '../../messages';
import { Page } from '../../ui/states';

export function HomePage(): ReactElement {
  const workspace = useWorkspace();
  return (
    <Page title={home.title}>
      <p>{home.welcome(workspace.name)}</p>
    </Page>
  );
}
