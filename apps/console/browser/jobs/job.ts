import type { Product, StubProvider } from '@gw/testing';
import type { Page } from 'playwright-core';
import type { Hands } from '../support/hands';

/** Product, browser and people of a job. */
export interface Scene {
  readonly product: Product;
  readonly stub: StubProvider;
  readonly page: Page;
  /** Address of the workspace in the console. */
  readonly workspace: string;
  /** A request that the gateway refused: its body as the client got it. */
  readonly refused: string;
  /** Ids of a request that its second target answered, and of an API key with its secret. */
  readonly fallen: string;
  readonly key: { readonly id: string; readonly name: string; readonly secret: string };
}

/** One of the jobs for which the console is made, and the steps that it may take. */
export interface Job {
  readonly number: number;
  readonly title: string;
  readonly steps: number;
  /** Where it begins, below the workspace; null: it opens an address itself. */
  readonly from: ((scene: Scene) => string) | null;
  readonly run: (hands: Hands, scene: Scene) => Promise<void>;
  /** Waits for what the job is for, and checks it. */
  readonly done: (scene: Scene) => Promise<void>;
}
