package dev.leasehold.redis;

import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Finds a port that does not speak what the URL says. A Redis without TLS does not answer a TLS handshake at all: it takes
 * it for the beginning of a line, and waits for the end. One with TLS closes a connection without.
 */
final class TlsCheck {
    private static final Duration HANDSHAKE = Duration.ofSeconds(1);
    private static final Duration PING = Duration.ofMillis(500);

    /** What a TLS handshake found. */
    private enum Finding {
        TLS,
        NO_TLS,
        UNKNOWN
    }

    private TlsCheck() {}

    /**
     * For {@code rediss:}. All other failures are left to the first call, which has more time.
     *
     * @throws StoreException if Redis answers there without TLS
     */
    static void refusePlain(HostAndPort address) {
        if (handshake(address) == Finding.NO_TLS && speaksPlainly(address)) {
            throw new StoreException("The Redis at " + address + " has no TLS on this port: begin the URL with redis:"
                    + " instead of rediss:, or name the port that has TLS (tls-port).");
        }
    }

    /**
     * For {@code redis:}, after a connection failed.
     *
     * @throws StoreException if the port has TLS
     */
    static void refuseEncrypted(HostAndPort address, StoreException failure) {
        if (handshake(address) == Finding.TLS) {
            throw new StoreException(
                    "The port at " + address + " speaks TLS: begin the URL with rediss: instead of redis:, or name the"
                            + " port without TLS.",
                    failure);
        }
    }

    private static Finding handshake(HostAndPort address) {
        try (Socket socket = connect(address, HANDSHAKE);
                SSLSocket encrypted = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault())
                        .createSocket(socket, address.getHost(), address.getPort(), true)) {
            encrypted.setSoTimeout((int) HANDSHAKE.toMillis());
            encrypted.startHandshake();
            return Finding.TLS;
        } catch (SSLHandshakeException e) {
            return isAboutCertificate(e) ? Finding.TLS : Finding.UNKNOWN;
        } catch (SocketTimeoutException | SSLException e) {
            return Finding.NO_TLS;
        } catch (IOException e) {
            return Finding.UNKNOWN;
        }
    }

    private static boolean isAboutCertificate(SSLHandshakeException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof GeneralSecurityException) {
                return true;
            }
        }
        return false;
    }

    private static boolean speaksPlainly(HostAndPort address) {
        try (Socket socket = connect(address, PING)) {
            socket.getOutputStream().write(Bytes.of("PING\r\n"));
            int first = socket.getInputStream().read();
            return first == '+' || first == '-';
        } catch (IOException e) {
            return false;
        }
    }

    private static Socket connect(HostAndPort address, Duration limit) throws IOException {
        Socket socket = new Socket();
        boolean isConnected = false;
        try {
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), (int) limit.toMillis());
            socket.setSoTimeout((int) limit.toMillis());
            isConnected = true;
            return socket;
        } finally {
            if (!isConnected) {
                socket.close();
            }
        }
    }

    /** What to do about a handshake that failed; nothing if the error is another. */
    static String advice(JedisException error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return " The TLS handshake failed (" + cause.getMessage() + "): the JVM must trust the certificate"
                        + " (javax.net.ssl.trustStore), and it must name the host.";
            }
        }
        return "";
    }
}
