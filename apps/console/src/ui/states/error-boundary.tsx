import { Component, type ReactNode } from 'react';
import { Failed } from './failed';
import { uiText } from '../../messages/en/ui';

interface Props {
  readonly children: ReactNode;
  /** A change of this value clears the error and renders the children again. */
  readonly resetKey?: unknown;
  /** Content shown instead of the error message. */
  readonly fallback?: ReactNode;
}

interface State {
  readonly error: Error | null;
  readonly resetKey: unknown;
}

/** Limits a rendering error to one part of the page. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return Object.is(props.resetKey, state.resetKey) ? null : { error: null, resetKey: props.resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    const message = uiText.states.broken(error.message);
    return <Failed problem={{ message, type: error.name }} onRetry={() => this.setState({ error: null })} />;
  }
}
