import type { AnswerOf, BodyOf } from '../api';

/** The second factors of the caller: `GET /v1/auth/mfa`. */
export type Factors = AnswerOf<'mfa_list'>;
export type Factor = Factors['factors'][number];
/** An authenticator app that is not confirmed yet, with its secret. */
export type AppEnrolment = AnswerOf<'mfa_enrol'>;
/** A password or a code: proves that the session is in the hands of its user. */
export type Proof = BodyOf<'mfa_renewCodes'>;
