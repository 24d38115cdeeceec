import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { errors, me, shell } from '../../messages';
import { Empty, Gone } from '../../ui/states';

export function NotFound(): ReactElement {
  return (
    <Gone action={<Link to="/">{errors.toHome}</Link>}>
      <p>{errors.notFound}</p>
    </Gone>
  );
}

/** Shown instead of Home to a user who is in no workspace. */
export function NoWorkspace(): ReactElement {
  return (
    <Empty title={shell.switcher.none} icon="building" action={<Link to="/me">{shell.me.account}</Link>}>
      <p>{me.noWorkspaces}</p>
    </Empty>
  );
}
