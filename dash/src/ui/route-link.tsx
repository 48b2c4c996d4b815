import { Anchor, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** A link to another page of this application. */
export const RouteLink = createLink(Anchor<'a'>);

/** The same, looking like a button. */
export const RouteButton = createLink(ButtonLink);

function ButtonLink(props: ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>) {
  return <Button component="a" {...props} />;
}
