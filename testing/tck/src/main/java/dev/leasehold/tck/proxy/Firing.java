package dev.leasehold.tck.proxy;

/**
 * One time that a fault did its harm.
 *
 * @param connection number of the connection, counted from 1 in the order in which the proxy accepted them
 * @param direction the way the harmed bytes were going
 * @param offset how many bytes the connection had seen in that direction before the harmed chunk
 */
public record Firing(Fault fault, int connection, Direction direction, long offset) {}
