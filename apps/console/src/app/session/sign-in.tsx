import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useRead } from '../../api';
import { session } from '../../messages';
import { BrandMark } from '../../ui/icons/brand-mark';
import type { Self } from '../state/session-context';
import { FactorForm } from './factor-form';
import { challengeOf, goToProvider, openedBy, type Challenge, type Opened } from './opening';
import { PasswordForm } from './password-form';
import { SsoForm } from './sso-form';
import { holderOf, tellTabs } from './tabs';
import './session.css';

export interface SignInProps {
  readonly note?: string;
  readonly onDone: (self: Self) => void;
  /** Of a sign-in that was begun elsewhere and needs a second factor. */
  readonly challenge?: Challenge | null;
  /** Signs in to this organisation alone. */
  readonly organisation?: string | null;
  /** Where a login by single sign-on ends, below the console. */
  readonly returnTo?: string;
  /** In a dialog over a page. */
  readonly isOver?: boolean;
  /** Begins with single sign-on. */
  readonly isSso?: boolean;
}

/** Signs in by password, passkey or single sign-on, then by a second factor where the user has one. The cookie is out of reach of scripts. */
export function SignIn({ note, onDone, isOver = false, ...props }: SignInProps): ReactElement {
  const { organisation = null, returnTo = '/' } = props;
  const bootstrap = useRead('console_bootstrap', {});
  const [challenge, setChallenge] = useState(props.challenge ?? null);
  const [choice, setChoice] = useState<'password' | 'sso' | null>(props.isSso === true ? 'sso' : null);
  const bySso = choice === null ? bootstrap.data?.password_login === false : choice === 'sso';
  const take = (opened: Opened) => {
    const self = openedBy(opened);
    if (opened.object === 'sso-redirect') goToProvider(opened, 'login/sso');
    else if (self === null) setChallenge(challengeOf(opened));
    else {
      tellTabs(holderOf(self));
      onDone(self);
    }
  };
  const place = { organisation, returnTo, isOver };
  const form = bySso ? <SsoForm {...place} /> : <PasswordForm {...place} onOpened={take} />;
  return (
    <div className="sign-in">
      {!isOver && (
        <>
          <BrandMark size={28} />
          <h1>{session.title}</h1>
        </>
      )}
      {note !== undefined && <p className="sub">{note}</p>}
      {challenge === null ? (
        <>
          {form}
          <Button variant="subtle" onClick={() => setChoice(bySso ? 'password' : 'sso')}>
            {bySso ? session.byPassword : session.sso}
          </Button>
          {!bySso && bootstrap.data?.environment === null && (
            <p className="xs muted">{session.credentialsFile}</p>
          )}
        </>
      ) : (
        <FactorForm challenge={challenge} onOpened={take} onBack={() => setChallenge(null)} />
      )}
    </div>
  );
}
