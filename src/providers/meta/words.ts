import { COUNTRY_CLOSED, type CodeWords, NOT_ACCEPTED, ON_TRIAL, OUTSIDE_WINDOW } from '../phrases.ts';

/** Of the codes whose refusal alone says too little. */
export const META_WORDS: CodeWords = {
  100: NOT_ACCEPTED,
  130497: COUNTRY_CLOSED,
  131008: NOT_ACCEPTED,
  131009: NOT_ACCEPTED,
  131021: 'The number is the sender’s own.',
  131030: ON_TRIAL,
  131047: OUTSIDE_WINDOW,
};
