import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import { call } from '../../api';
import { factors, session } from '../../messages';
import { Enrolment, type EnrolmentProps } from '../../factors/enrolment';
import { Moment } from '../../ui/primitives';
import type { Self } from '../state/session-context';
import { adoptSession } from './adopt';
import { loadAnew } from './leave';
import { openedBy } from './opening';
import { SignIn } from './sign-in';
import { FormError } from './sign-in-parts';
import { holderOf, isSame, notifyTabs, type Holder } from './tabs';
import type { SessionState } from './use-session-state';

interface SessionDialogProps {
  readonly state: Exclude<SessionState, 'open'>;
  /** User and organisation that the page belongs to. */
  readonly holder: Exclude<Holder, null>;
  /** Expiry of the session, ISO 8601; null when unknown. */
  readonly endsAt: string | null;
  /** Called when the page has a valid session again. */
  readonly onOpen: () => void;
  readonly enrolment: Pick<EnrolmentProps, 'onAdded' | 'onDone'>;
}

const titleOf = (state: SessionState): string =>
  state === 'changed' ? session.changed : state === 'factor' ? factors.required : session.title;

/**
 * Dialog over a page whose session is ending, has ended or belongs to another user. The page keeps
 * its state below the dialog.
 */
export function SessionDialog(props: SessionDialogProps): ReactElement | null {
  const { state, holder, endsAt, onOpen, enrolment } = props;
  const queries = useQueryClient();
  const router = useRouter();
  const [isWanted, setWanted] = useState(false);
  const [isPutOff, setPutOff] = useState(false);
  const goOn = (self: Self) => {
    if (!isSame(holder, holderOf(self))) return loadAnew();
    setWanted(false);
    onOpen();
    return void adoptSession(queries, self);
  };
  if (state === 'ending' && !isWanted)
    return isPutOff ? null : (
      <div className="session-note" role="alert">
        <div>
          <b>{session.ending}</b>
          <p className="xs sub">
            {session.endsAt} {endsAt !== null && <Moment at={endsAt} />}. {session.endingHint}
          </p>
        </div>
        <Button onClick={() => setPutOff(true)}>{session.later}</Button>
        <Button variant="filled" onClick={() => setWanted(true)}>
          {session.signInAgain}
        </Button>
      </div>
    );
  const isEnding = state === 'ending';
  return (
    <Modal
      opened
      className="session-dialog"
      title={titleOf(state)}
      onClose={() => setWanted(false)}
      withCloseButton={isEnding}
      closeOnEscape={isEnding}
      closeOnClickOutside={isEnding}
    >
      {state === 'changed' ? (
        <ChangedSession holder={holder} onBack={goOn} />
      ) : state === 'factor' ? (
        <Enrolment isOver {...enrolment} />
      ) : (
        <>
          <SignIn
            note={session.notes[state]}
            isOver
            organisation={holder.organisation}
            returnTo={router.state.location.href}
            onDone={goOn}
          />
          {!isEnding && (
            <Button variant="subtle" fullWidth onClick={() => loadAnew('login')}>
              {session.someoneElse}
            </Button>
          )}
        </>
      )}
    </Modal>
  );
}

interface ChangedSessionProps {
  readonly holder: Exclude<Holder, null>;
  readonly onBack: (self: Self) => void;
}

/**
 * Shown when the browser's session differs from the page's: continues with the new session, or
 * returns to the page's organisation.
 */
function ChangedSession({ holder, onBack }: ChangedSessionProps): ReactElement {
  const [now, setNow] = useState<Self | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    // Bypasses the query cache, which belongs to the user of the page.
    call('auth_self', {}).then(({ data }) => setNow(data), setError);
  }, []);
  const own = now?.organisations.find(({ id }) => now.id === holder.user && id === holder.organisation);
  const goBack = async () => {
    try {
      const body = { organisation_id: holder.organisation };
      const self = openedBy((await call('auth_changeOrganisation', {}, { body })).data);
      if (self === null) return loadAnew();
      notifyTabs(holderOf(self));
      return onBack(self);
    } catch (thrown) {
      return setError(thrown);
    }
  };
  return (
    <div className="sign-in">
      <p>{now === null ? session.changedTo : session.changedToOf(now.email, now.organisation.name)}</p>
      <FormError error={error} />
      <Button variant="filled" onClick={() => loadAnew()}>
        {session.load}
      </Button>
      {own !== undefined && now?.organisation.id !== own.id && (
        <Button onClick={() => void goBack()}>{session.back(own.name)}</Button>
      )}
    </div>
  );
}
