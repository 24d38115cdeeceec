import { Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { home } from '../../messages';

export function HomePage(): ReactElement {
  const workspace = useWorkspace();
  return <Title order={1}>{home.welcome(workspace.name)}</Title>;
}
