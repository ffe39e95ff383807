import type { CallDeps, CallToHandle } from './calls.ts';
import { isStoreKind, kindOf } from './kinds.ts';
import type { CallResult } from './results.ts';
import { handleStoreCall } from './storeCalls.ts';
import { handleTrackingCall } from './trackingCalls.ts';

/** What the call says is told, or would be. Throws where the same call can succeed later. */
export function handleCall(deps: CallDeps, call: CallToHandle): Promise<CallResult> {
  const kind = kindOf(call.connection.kind);
  return isStoreKind(kind) ? handleStoreCall(deps, kind, call) : handleTrackingCall(deps, kind, call);
}
