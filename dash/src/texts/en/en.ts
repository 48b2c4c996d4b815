import { errors, fieldErrors, otherErrors } from './errors.js';
import { forms, mail } from './forms.js';
import { appSignIn, signIn } from './sign-in.js';

/** Common texts and those of the sign-in page. The other languages have the same type. */
export const en = {
  language: 'en',
  locale: 'en-GB',
  direction: 'ltr',
  frame: {
    skip: 'Skip to content',
    signOut: 'Sign out',
    stillSignedIn: (why: string) => `You are still signed in. ${why}`,
    lightColours: 'Use light colours',
    darkColours: 'Use dark colours',
    languages: 'Language',
    otherWays: 'Other sign-in methods',
    terms: 'Terms',
    privacy: 'Privacy',
    toSignIn: 'Go to sign-in',
    toAccount: 'Go to your account',
    toStart: 'Go to the start page',
    backToSignIn: 'Back to sign-in',
    loading: 'Loading…',
    moment: 'Please wait…',
    checkingLink: 'Checking the link…',
    tryAgain: 'Try again',
    reload: 'Reload',
    justNow: 'just now',
    failed: 'This page could not be shown',
    failedLead: 'Check your connection, then reload the page.',
    notFound: 'Page not found',
    notFoundLead: 'The address may be mistyped, or the page has moved.',
    refused: 'This sign-in link does not work',
    refusedLead:
      'You were not signed in, and the app received nothing. Start again from the app. If it fails again, contact the operator of the app.',
  },
  errors,
  fieldErrors,
  otherErrors,
  forms,
  mail,
  signIn,
  appSignIn,
};

/** Type of the texts of each language: all keys are required, and no others are allowed. */
export type Texts = typeof en;
