import { Drawer } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { shell } from '../../messages';
import { Sidebar } from './sidebar';

interface PagesDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onKeys: () => void;
}

/**
 * The sidebar of a narrow window. It opens after its first render, so that it can return the focus
 * when it closes.
 */
export function PagesDrawer({ isOpen, onClose, onKeys }: PagesDrawerProps): ReactElement {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return (
    <Drawer opened={isOpen && isDrawn} onClose={onClose} size={260} title={shell.navigation}>
      <Sidebar isSmall={false} onKeys={onKeys} onNavigate={onClose} />
    </Drawer>
  );
}
