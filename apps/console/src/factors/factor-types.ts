import type { ResponseOf, BodyOf } from '../api';

/** The second factors of the caller: `GET /v1/auth/mfa`. */
export type Factors = ResponseOf<'mfa_list'>;
export type Factor = Factors['factors'][number];
/** An authenticator app that is not confirmed yet, with its secret. */
export type AppEnrolment = ResponseOf<'mfa_enrol'>;
/** A password or a code that proves that the user controls the session. */
export type Proof = BodyOf<'mfa_renewCodes'>;
