import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useRead } from '../../api';
import { session } from '../../messages';
import { BrandMark } from '../../ui/icons/brand-mark';
import type { Self } from '../state/session-context';
import { FactorForm } from './factor-form';
import { challengeOf, goToProvider, openedBy, type Challenge, type Opened } from './opening';
import { OrganisationChoice } from './organisation-choice';
import type { Organisation } from './organisation-list';
import { PasswordForm } from './password-form';
import { SsoForm, type SsoPlace } from './sso-form';
import { holderOf, notifyTabs } from './tabs';
import './session.css';

export interface SignInProps {
  readonly note?: string;
  readonly onDone: (self: Self) => void;
  /** Challenge of a sign-in that started elsewhere and needs a second factor. */
  readonly challenge?: Challenge | null;
  /** Restricts the sign-in to this organisation. */
  readonly organisation?: string | null;
  /** Path of the console to open after single sign-on. */
  readonly returnTo?: string;
  /** True when the sign-in is in a dialog over a page. */
  readonly isOver?: boolean;
  /** True to start with single sign-on. */
  readonly isSso?: boolean;
}

/**
 * Signs in by password, passkey or single sign-on, then by a second factor if the user has one.
 * Lets users of several organisations choose one. The session cookie is not readable by scripts.
 */
export function SignIn({ note, onDone, isOver = false, ...props }: SignInProps): ReactElement {
  const { returnTo = '/' } = props;
  // The organisation that the user chose after the session of the first one was opened.
  const [chosen, setChosen] = useState<Organisation | null>(null);
  // Why that organisation needs another sign-in.
  const [reason, setReason] = useState<string | null>(null);
  const organisation = props.organisation ?? chosen?.id ?? null;
  const [opened, setOpened] = useState<Self | null>(null);
  const [challenge, setChallenge] = useState(props.challenge ?? null);
  const finish = (self: Self): void => {
    notifyTabs(holderOf(self));
    onDone(self);
  };
  const take = (answer: Opened): void => {
    const self = openedBy(answer);
    if (answer.object === 'sso-redirect') goToProvider(answer, () => 'login/sso');
    else if (self === null) setChallenge(challengeOf(answer));
    else if (isOver || organisation !== null || self.organisations.length < 2) finish(self);
    else {
      // The browser has the session of this user from now on.
      notifyTabs(holderOf(self));
      setOpened(self);
    }
  };
  const choose = (answer: Opened, one: Organisation): void => {
    setChosen(one);
    const self = openedBy(answer);
    if (self === null) setChallenge(challengeOf(answer));
    else finish(self);
  };
  const signInTo = (one: Organisation, why: string): void => {
    setChosen(one);
    setReason(why);
    setOpened(null);
  };
  const beginAgain = (): void => {
    setChallenge(null);
    setChosen(null);
    setReason(null);
  };
  const shownNote = reason ?? note;
  return (
    <div className="sign-in">
      {!isOver && (
        <>
          <BrandMark size={28} />
          <h1>{session.title}</h1>
        </>
      )}
      {shownNote !== undefined && <p className="sub">{shownNote}</p>}
      {challenge !== null ? (
        <FactorForm challenge={challenge} onOpened={take} onBack={beginAgain} />
      ) : opened !== null ? (
        <OrganisationChoice self={opened} onOpened={choose} onNeedsLogin={signInTo} />
      ) : (
        <FirstStep
          place={{ organisation, returnTo, isOver }}
          beginsWithSso={props.isSso === true}
          onOpened={take}
        />
      )}
    </div>
  );
}

interface FirstStepProps {
  readonly place: SsoPlace;
  readonly beginsWithSso: boolean;
  readonly onOpened: (opened: Opened) => void;
}

/** First step of a sign-in: email and password, or single sign-on. */
function FirstStep({ place, beginsWithSso, onOpened }: FirstStepProps): ReactElement {
  const bootstrap = useRead('console_bootstrap', {});
  const [choice, setChoice] = useState<'password' | 'sso' | null>(beginsWithSso ? 'sso' : null);
  const bySso = choice === null ? bootstrap.data?.password_login === false : choice === 'sso';
  return (
    <>
      {bySso ? <SsoForm {...place} /> : <PasswordForm {...place} onOpened={onOpened} />}
      <Button variant="subtle" onClick={() => setChoice(bySso ? 'password' : 'sso')}>
        {bySso ? session.byPassword : session.sso}
      </Button>
      {!bySso && bootstrap.data?.environment === null && (
        <p className="xs muted">{session.credentialsFile}</p>
      )}
    </>
  );
}
